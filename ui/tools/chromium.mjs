// SPDX-License-Identifier: Apache-2.0
//
// The Chromium of the system: FLARESTACK_CHROMIUM, or the one on the PATH. Nothing is downloaded.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// Null where there is none.
export function findChromium() {
  const named = process.env.FLARESTACK_CHROMIUM ?? "";
  if (named !== "") return isProgram(named) ? named : null;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram) ?? null;
}

// Software rendering and one density of pixels, so that machines with and without a GPU draw the same.
export async function launchChromium(flags = []) {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error("there is no Chromium: install it, or name it by FLARESTACK_CHROMIUM");
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--force-device-scale-factor=1",
      "--font-render-hinting=none",
      ...flags,
    ],
  });
}
