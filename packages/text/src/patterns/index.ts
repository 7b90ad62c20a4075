export {
  countLines,
  linesWith,
  matchChains,
  matchLines,
  matchRest,
  type ByteSpan,
  type TakeMatch,
} from './match-lines.ts'
export {
  escapeExpression,
  parseSearchPattern,
  type ChainLink,
  type PatternCost,
  type SearchPattern,
} from './search-pattern.ts'
