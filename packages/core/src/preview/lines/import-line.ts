const IMPORT = /^\s*(?:import|from|use|using|#\s*include|require|require_relative|package|export \*|} from)\b/

/** Whether a line of code only names what its file uses, or the package that it is in. */
export function isImportLine(line: string): boolean {
  return IMPORT.test(line.slice(0, 60))
}
