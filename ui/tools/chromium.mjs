// SPDX-License-Identifier: Apache-2.0
//
// The installed Chromium: FLARESTACK_CHROMIUM, or the one on the PATH. Downloads nothing.
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

// Null if there is none.
export function findChromium() {
  const named = process.env.FLARESTACK_CHROMIUM ?? "";
  if (named !== "") return isProgram(named) ? named : null;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram) ?? null;
}

// Software rendering and a fixed pixel density, so that machines with and without a GPU draw the same.
export async function launchChromium(flags = []) {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error("Chromium not found: install it, or set FLARESTACK_CHROMIUM");
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
