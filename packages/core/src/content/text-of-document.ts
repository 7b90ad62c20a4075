import type { Metadata } from '../storage/storage.ts'

/** Metadata of an extracted text: the reference of its document. */
export const TEXT_OF = 'text-of'

/** Return the key and the metadata under which retrieval finds the extracted text of a stored document. */
export function textOfDocument(key: string, reference: string): { readonly key: string; readonly metadata: Metadata } {
  return { key: `${key}_text`, metadata: { [TEXT_OF]: reference } }
}
