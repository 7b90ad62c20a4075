import type { WantedWords } from '../layout/wanted-words.ts'

/** Files that tools write: what changed in them follows from what changed elsewhere. */
const WRITTEN =
  /(?:^|\/)(?:node_modules|vendor|third_party|dist|build|out|target|generated|__generated__|__snapshots__|\.yarn)\/|(?:^|[/.-])lock(?:\.\w+|file)?$|(?:lock\.(?:json|ya?ml)|go\.sum|npm-shrinkwrap\.json|\.resolved)$|\.min\.(?:js|css)$|\.(?:map|snap|pb\.go|g\.dart|designer\.cs|svg|po|pot|csv|tsv|ipynb)$|_pb2(?:_grpc)?\.pyi?$|[._-]generated\./i
/** Data, and what says more in words than in code. */
const DATA = /\.(?:json|xml|ya?ml|toml|lock|txt|html?)$/i

/** How much changes in a file tell, from its path: those that people write count 1. */
export function fileWeight(path: string, wanted: WantedWords): number {
  const lower = path.slice(-500).toLowerCase()
  if (wanted.isIn(lower)) return 5
  if (WRITTEN.test(lower)) return 0.12
  return DATA.test(lower) ? 0.6 : 1
}
