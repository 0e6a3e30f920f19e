// SPDX-License-Identifier: Apache-2.0
//
// Fails if a budget is exceeded: the files of the first screen, all scripts, and the viewer in every one-file profile.
import { allScripts, filesOfFirstScreen, gzippedBytes } from "./bundle_files.mjs";

const FIRST_SCREEN_BYTES_MAX = 120 * 1024;
const SCRIPTS_BYTES_MAX = 260 * 1024;
const VIEWER_BYTES_MAX = 60 * 1024;

function check(what, names, bytesMax) {
  let sum = 0;
  for (const file of names) {
    const bytes = gzippedBytes(file);
    sum += bytes;
    console.log(String(bytes).padStart(8), file);
  }
  console.log(String(sum).padStart(8), `of ${bytesMax} bytes for ${what}, compressed`);
  if (sum <= bytesMax) return;
  console.error(`${what} is over its budget`);
  process.exitCode = 1;
}

check("the first screen", filesOfFirstScreen(), FIRST_SCREEN_BYTES_MAX);
check("all scripts", allScripts, SCRIPTS_BYTES_MAX);
check("the viewer of one-file profiles", ["viewer.html"], VIEWER_BYTES_MAX);
