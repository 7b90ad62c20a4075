/** Reading and searching of stored text by lines, for programs. */
export { type LineRange, PatternError, type PatternErrorCode } from '@spillway/text/internal'
export { readStoredLines, type LinePage, type ReadStoredLinesOptions } from './read-stored-lines.ts'
export { PatternSearch, type MatchingLine, type MatchingLines, type PatternSearchOptions } from './pattern-search.ts'
