const IMPORT = /^\s*(?:import|from|use|using|#\s*include|require|require_relative|package|export \*|} from)\b/

/** What such a line begins with. */
const STARTS = ' \tifur#pe}'

/** Whether a line of code only names what its file uses, or the package that it is in. */
export function isImportLine(line: string): boolean {
  if (!STARTS.includes(line.charAt(0))) return false
  return IMPORT.test(line.slice(0, 60))
}
