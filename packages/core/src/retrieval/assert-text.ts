import { isTextContentType } from '@spillway/text/internal'
import type { ContentSource } from '../content/content-source.ts'
import { abridge } from './plain-text.ts'
import { RetrievalError } from './retrieval-error.ts'

/** Throw `not-text` for content that cannot be searched or read by lines. */
export function assertText({ contentType, reference }: Pick<ContentSource, 'contentType' | 'reference'>): void {
  if (isTextContentType(contentType)) return
  throw new RetrievalError(
    'not-text',
    `This content is binary (${abridge(contentType, 80)}) and cannot be searched or read by lines. ` +
      'To get it in its native form:',
    { call: { reference } },
  )
}
