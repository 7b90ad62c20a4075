const IMPORT = /^\s*(?:import|from|use|using|#\s*include|require|require_relative|package|export \*|} from)\b/
/** First characters of import lines. */
const STARTS = ' \tifur#pe}'

/** Whether a line only names imports or its package. */
export function isImportLine(line: string): boolean {
  if (!STARTS.includes(line.charAt(0))) return false
  return IMPORT.test(line.slice(0, 60))
}
