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
// On failure the panels send the same request and show the error.
findFirstRange().catch(() => undefined);
const host = document.getElementById("app");
// In a separate task, because the code up to here already took long.
if (host !== null) setTimeout(() => render(<App />, host));
