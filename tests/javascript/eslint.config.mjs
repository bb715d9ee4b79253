// The rules of ESLint for the page and for its unit tests.

import js from "@eslint/js";
import globals from "globals";

// Browsers have global variables of these names: a forgotten declaration would go unnoticed.
const CONFUSING =
  "blur close confirm event find focus length name open origin parent print screen self status stop top".split(" ");

export default [
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "array-callback-return": "error",
      eqeqeq: "error",
      "no-implicit-globals": "error",
      "no-restricted-globals": ["error", ...CONFUSING],
      "no-self-compare": "error",
      "no-unreachable-loop": "error",
      "no-unused-expressions": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": "error",
      "require-await": "error",
    },
  },
  { files: ["**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["**/parts/theme.js"], languageOptions: { sourceType: "script" } },
  { files: ["**/*.mjs"], languageOptions: { globals: globals.node } },
];
