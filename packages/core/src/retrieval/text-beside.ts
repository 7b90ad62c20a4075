import { isTextContentType } from '@spillway/text/internal'
import { TEXT_OF } from '../content/text-of-document.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { StoredInfo } from '../storage/storage.ts'
import { callOf } from './call-of.ts'
import type { RetrievalCall } from './retrieval-call.ts'
import { RetrievalError } from './retrieval-error.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import type { RetrievalRequest } from './retrieval-input.ts'
import { canList, listNewest } from './scope-entries.ts'

/** Write the call that does with the text of a document what was asked of the document. */
export function callInText(request: RetrievalRequest | undefined, reference: string): RetrievalCall {
  switch (request?.mode) {
    case 'pattern':
      return callOf({ ...request, reference })
    case 'query':
      return { reference, query: request.query }
    case 'range':
      return { reference, line_range: request.range }
    case 'bytes':
      return { reference, byte_range: request.range }
    default:
      return { reference, context_lines: 50 }
  }
}

/** Return the reference of the text that is stored beside a document, such as a PDF; `undefined` where none is known. */
export async function textBeside(reference: string, context: RetrievalContext): Promise<string | undefined> {
  if (!canList(context)) return undefined
  let text: StoredInfo | undefined
  const onEntry = (info: StoredInfo): void => {
    if (info.metadata[TEXT_OF] !== reference || !isTextContentType(info.contentType)) return
    if ((text?.storedAt ?? -Infinity) <= info.storedAt) text = info
  }
  try {
    await listNewest(context, 0, true, onEntry)
  } catch (error) {
    // The answer is about the document; without the text beside it, it still says what to do.
    if (StorageError.isInstance(error) || error instanceof RetrievalError) return undefined
    throw error
  }
  return text?.reference
}
