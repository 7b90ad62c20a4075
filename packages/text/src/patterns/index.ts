export { createLinearMatcher, type LinearMatcher } from './linear-matcher.ts'
export { countLines, matchLines, matchRest, RequiredStrings, type ByteSpan, type TakeMatch } from './match-lines.ts'
export { parseSearchPattern, type SearchPattern } from './search-pattern.ts'
export { type PatternCost } from './match-cost.ts'
