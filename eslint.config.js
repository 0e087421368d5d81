// The rules for the scripts of the report. `make lint-page` runs them; the packages are
// in build/node, where `make node` puts them.

import { createRequire } from "node:module";

const require = createRequire(new URL("./build/node/", import.meta.url));
const js = require("@eslint/js");
const globals = require("globals");

const style = {
  ...js.configs.recommended.rules,
  complexity: ["error", 22],
  eqeqeq: ["error", "always", { null: "ignore" }],
  "max-depth": ["error", 4],
  "max-params": ["error", 6],
  "no-self-compare": "off", // x !== x is how NaN is found
  "no-shadow": ["error", { builtinGlobals: false }],
  "no-unused-vars": "error",
  "no-var": "error",
  "prefer-const": ["error", { destructuring: "all" }],
};

export default [
  {
    files: ["src/treewright/drawing/report/scripts/*.js"],
    languageOptions: { globals: globals.browser },
    rules: style,
  },
  {
    files: ["tests/report/node/*.js", "eslint.config.js"],
    languageOptions: { globals: globals.node },
    rules: style,
  },
];
