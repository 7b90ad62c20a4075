/** Engines of a runtime that is not Node.js, by web standards and linear-time patterns. `node.ts` exports the same names. */
import type { IsolatedProgram } from '../platform/platform.ts'

export { createRe2PatternMatcher as createPatternMatcher } from './re2-pattern-matcher.ts'
export { gzip, zstd } from './web-compression.ts'
export { createAes256Gcm, hkdfSha256, hmacSha256 } from './web-encryption.ts'

/** The web has no workers that every runtime could start from a text: programs run in place here. */
export function isolate(_source: string, _maxMemoryMb: number): IsolatedProgram | undefined {
  return undefined
}
