/** The entries of a scope as files with paths, for file tools. */
export type { LineRange } from '../content/line-range.ts'
export { filePathOf, type FileContent } from './file-entry.ts'
export type { FoundLine } from './find-lines.ts'
export type { LinePage } from './read-line-page.ts'
export { refuseFilePath } from './refuse-file-path.ts'
export type { StoredFile } from './stored-file.ts'
export { StoredFiles, type FindOptions, type FoundLines, type StoredFilesOptions } from './stored-files.ts'
