export type * from "./index.d.ts";
export { default } from "./index.d.ts";
