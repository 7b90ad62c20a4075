export { FileStorage, type FileStorageOptions } from './file-storage.ts'
export type {
  DirectoryItem,
  FileContent,
  FileReader,
  FileStatus,
  FileStep,
  FileSystem,
  FileWriter,
} from './file-system.ts'
export { FileJournal } from './journal/file-journal.ts'
export { NodeFileSystem } from './node-file-system.ts'
export { ShellFileSystem, type Shell } from './shell-file-system.ts'
