export {
  averageLength,
  MAX_QUERY_WORDS,
  parseQueryWords,
  weighWords,
  type QueryWord,
  type QueryWords,
  type WordStatistics,
} from './query-words.ts'
export { LINES_AFTER, LINES_BEFORE, MAX_CANDIDATES, rankPassages, type Passage } from './rank-passages.ts'
export {
  keepBest,
  MAX_UNIT_LENGTH,
  PART_LENGTH,
  queryDeadline,
  scanWords,
  type TextPiece,
  type WordScan,
} from './scan-words.ts'
export { wordFinder, type WordFinder } from './word-finder.ts'
