/** How a command that failed ended, as shells and CI systems say it. */
const ENDED = /\b(?:exited (?:with )?|exit (?:code|status) )\D{0,16}[1-9]\d{0,2}\b/

/** Whether a line says that a command failed: only the output of programs has such lines. */
export const saysEnd = (line: string): boolean => ENDED.test(line)
