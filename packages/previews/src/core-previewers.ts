import { jsonPreviewer, ndjsonPreviewer } from './json/json-previewer.ts'
import { listingPreviewer } from './listing/listing-previewer.ts'
import { logPreviewer } from './log/log-previewer.ts'
import { mediaPreviewer } from './media/media-previewer.ts'
import { configPreviewer } from './config/config-previewer.ts'
import { diffPreviewer } from './diff/diff-previewer.ts'
import { markdownPreviewer } from './markdown/markdown-previewer.ts'
import { htmlPreviewer } from './html/html-previewer.ts'
import { xmlPreviewer } from './markup/xml-previewer.ts'
import { installedPreviewers } from './installed-previewers.ts'
import type { Previewer } from './previewer.ts'
import { prosePreviewer } from './prose/prose-previewer.ts'
import { sourcePreviewer } from './source/source-previewer.ts'
import { tablePreviewer } from './table/table-previewer.ts'

/** The previewers that every offloader has, in the order in which ties are decided. */
export const corePreviewers: readonly Previewer[] = [
  logPreviewer(),
  jsonPreviewer(),
  ndjsonPreviewer(),
  tablePreviewer(),
  listingPreviewer(),
  diffPreviewer(),
  markdownPreviewer(),
  configPreviewer(),
  prosePreviewer(),
  htmlPreviewer(),
  xmlPreviewer(),
  mediaPreviewer(),
  // Before the previewer of source code, which is as sure.
  ...installedPreviewers,
  sourcePreviewer(),
]
