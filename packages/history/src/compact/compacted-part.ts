import type { StoredItems } from '../archive/store-items.ts'

/** A part in its shorter form, and what was stored for it. */
export interface CompactedPart<Part> {
  readonly part: Part
  readonly stored: StoredItems
}
