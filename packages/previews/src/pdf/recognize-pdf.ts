import { contentTypeEssence } from '@spillway/text/internal'
import type { MediaSubject } from '../previewer.ts'

export function recognizePdf({
  type,
  mediaType,
  name = '',
}: Pick<MediaSubject, 'type' | 'mediaType' | 'name'>): number {
  if (contentTypeEssence(mediaType) === 'application/pdf') return 0.95
  return type === 'document' && /\.pdf$/i.test(name) ? 0.7 : isUntold(mediaType) ? 0.4 : 0
}

export const isUntold = (mediaType: string): boolean => contentTypeEssence(mediaType) === 'application/octet-stream'
