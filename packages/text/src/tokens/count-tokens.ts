/**
 * Count the tokens of a text as the model would. Must be deterministic, and may be slow: it is given texts of at most
 * a few times the budget concerned, never a large result as a whole.
 */
export type CountTokens = (text: string) => number
