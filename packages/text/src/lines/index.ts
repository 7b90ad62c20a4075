export { countLineEnds, LINE_BLOCK_BYTES, LineIndex, LineIndexBuilder, LineIndexRecorder } from './line-index.ts'
