import type { MediaPreviewer } from '../previewer.ts'
import { describeMedia } from './describe-media.ts'

/** Name of the previewer that accepts any media. */
export const MEDIA_PREVIEWER = 'media'

/** Describes media by their headers. Damaged bytes only give less information. */
export function mediaPreviewer(): MediaPreviewer {
  return {
    name: MEDIA_PREVIEWER,
    previews: 'media',
    // Accepts any declared type. More specific previewers have a higher confidence.
    recognize: () => 0.1,
    read: async (data, { mediaType }) => {
      const description = describeMedia(data, mediaType)
      return description === undefined ? undefined : { description }
    },
  }
}
