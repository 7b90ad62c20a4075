import type { MediaPreviewer } from '../previewer.ts'
import { describeMedia } from './describe-media.ts'

/** The name of the previewer that takes any media. */
export const MEDIA_PREVIEWER = 'media'

/**
 * Make the previewer that says of media what their bytes tell: the format where the declared type does not say it, the dimensions of images, the
 * length of sound and video, the pages of a PDF and the files of an archive where they are certain.
 *
 * It looks at headers and directories alone and unpacks nothing. Damaged bytes only tell less.
 */
export function mediaPreviewer(): MediaPreviewer {
  return {
    name: MEDIA_PREVIEWER,
    previews: 'media',
    // Whatever they are declared to be; others that know more come first.
    recognize: () => 0.1,
    read: async (data, { mediaType, size }) => {
      const description = describeMedia(data, mediaType, size)
      return description === undefined ? undefined : { description }
    },
  }
}
