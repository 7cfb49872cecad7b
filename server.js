export { default } from "./dist/history-search.js";
