import type { MediaBlock } from '@spillway/text/internal'

/** Models charge media by dimensions, pages or seconds, which grow with the size; these are typical bytes per token. */
const BYTES_PER_TOKEN = { image: 400, audio: 400, video: 400, document: 20 } as const
const URL_TOKENS = 100

/** Estimate the tokens of media by their size in bytes; media that come by URL, `undefined`, have a fixed price. */
export const mediaTokensOfSize = (type: MediaBlock['type'], bytes: number | undefined): number =>
  bytes === undefined ? URL_TOKENS : Math.ceil(bytes / BYTES_PER_TOKEN[type])
