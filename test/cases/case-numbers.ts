/** The numbers of the reported cases: situations from public bug reports that this product is held to. */
export const CASE_NUMBERS: readonly number[] = [
  // Queries and texts.
  1, 2, 5, 6, 8, 9, 10, 12, 14, 16, 18, 20, 22,
  // Dates and order.
  25, 26, 27, 30, 31, 32,
  // Storage, concurrency, crashes.
  34, 35, 36, 38, 39, 42, 43, 45, 46, 47, 48, 49, 50, 52, 53, 55, 56, 58, 59,
  // Hosts, scale, privacy.
  61, 62, 64, 65, 66, 68, 70, 71, 73, 74, 75, 77, 78, 79, 80, 82, 84, 85, 87, 90,
];
