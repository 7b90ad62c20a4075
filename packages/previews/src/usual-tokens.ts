/**
 * Largest useful preview by kind, measured with the answer benchmark for 13 sizes from 100 to 2,000 (decision 0045).
 * Missing kinds have too few questions there.
 */
export const USUAL_TOKENS = {
  /** Tables, JSON, source code, and text without failures are queried by a key or a name. */
  structured: 300,
  /** The preview must contain the reason of a failure. */
  log: 800,
} as const
