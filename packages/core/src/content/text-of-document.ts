import type { Metadata } from '../storage/storage.ts'

/** Metadata of a text: the reference of the document that it was extracted from. */
export const TEXT_OF = 'text-of'

/**
 * Return the key and the metadata under which the text of a stored document is stored.
 *
 * Retrieval finds the text by the document's reference in the metadata: several documents may have the same key.
 *
 * @example
 * ```ts
 * import { textOfDocument } from '@spillway/core/adapter'
 *
 * const { key, metadata } = textOfDocument('invoice.pdf', 'invoice_pdf_bjis')
 * console.assert(key === 'invoice.pdf_text' && metadata['text-of'] === 'invoice_pdf_bjis')
 * ```
 */
export function textOfDocument(key: string, reference: string): { readonly key: string; readonly metadata: Metadata } {
  return { key: `${key}_text`, metadata: { [TEXT_OF]: reference } }
}
