/** The module by which other processes open the storage; see `packages/storage/testing`. */
export const BACKEND: URL = new URL('../sqlite-backend.ts', import.meta.url)
