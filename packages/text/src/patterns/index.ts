export { createLinearMatcher, type LinearMatcher } from './linear-matcher.ts'
export {
  countLines,
  linesWith,
  matchChains,
  matchLines,
  matchRest,
  type ByteSpan,
  type TakeMatch,
} from './match-lines.ts'
export { escapeExpression, parseSearchPattern, type ChainLink, type SearchPattern } from './search-pattern.ts'
export { type PatternCost } from './match-cost.ts'
