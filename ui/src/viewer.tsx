// SPDX-License-Identifier: Apache-2.0
//
// The script of one-file profiles (viewer.html).
import { render } from "preact";
import "./style/tokens.css";
import "./style/base.css";
import "./style/parts.css";
import "./style/pages.css";
import "./style/viewer.css";
import { embeddedFlames } from "./state/embedded";
import { listenToKeys } from "./state/keys";
import { Viewer } from "./view/viewer";

listenToKeys();
const host = document.getElementById("app");
if (host !== null) render(<Viewer title={document.title} flames={embeddedFlames(document)} />, host);
