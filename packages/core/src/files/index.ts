/** File tools: the entries of a scope as files with paths. */
export { type LineRange, PatternError, type PatternErrorCode } from '@spillway/text/internal'
export { filePathOf, refuseFilePath, type FileContent } from './file-entry.ts'
export { readStoredLines, type FoundLine, type LinePage, type ReadStoredLinesOptions } from './read-line-page.ts'
export { PatternSearch, type MatchingLine, type MatchingLines, type PatternSearchOptions } from './pattern-search.ts'
export {
  StoredFiles,
  type FindOptions,
  type FoundLines,
  type StoredFile,
  type StoredFilesOptions,
} from './stored-files.ts'
