/** The module by which other processes open the storage; see `internal/storage-suite`. */
export const BACKEND: URL = new URL('../sqlite-backend.ts', import.meta.url)
