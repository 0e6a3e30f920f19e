// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import "./style/tokens.css";
import "./style/base.css";
import "./style/parts.css";
import "./style/pickers.css";
import "./style/pages.css";
import "./style/signals.css";
import "./style/guide.css";
import "./style/source.css";
import "./style/narrow.css";
import { findFirstRange } from "./state/first_range";
import { listenToKeys } from "./state/keys";
import { followLinks } from "./state/location";
import { App } from "./view/app";

followLinks();
listenToKeys();
// Where it fails, panels ask the same and say why.
findFirstRange().catch(() => undefined);
const host = document.getElementById("app");
// In a task of its own, as what was done up to here has kept the browser busy already.
if (host !== null) setTimeout(() => render(<App />, host));
