import type { TextScan } from './text-scan.ts'

/** Matches the exit code of a failed command, as shells and CI systems write it. */
const ENDED = /\b(?:exited (?:with )?|exit (?:code|status) )\D{0,16}[1-9]\d{0,2}\b/

/** Whether a line reports the exit code of a command. Only program output has such lines. */
export const saysEnd = (line: string): boolean => ENDED.test(line)

/** Matches the level field of a logger, as a word or as a number of pino and bunyan. */
const LEVEL =
  /"(?:level|severity|severityText|levelname|log\.level|lvl|loglevel|log_level|@l)" ?: ?(?:"[A-Za-z]{3,11}"|[1-6]0\b)/

/** Matches a line of output in the JSON format of Docker. */
const WRAPPED = /^\{"log":".*","stream":"std(?:out|err)"/

export function isLevelObject(line: string): boolean {
  return /^\s*\{\s*"/.test(line) && /\}\s*$/.test(line) && (LEVEL.test(line.slice(0, 2_000)) || WRAPPED.test(line))
}

/** The kind of text: lines of `output` differ in value, `data` shows its structure, `writing` often says "error". */
type TextNature = 'output' | 'data' | 'writing'

/** Score that few lines have in a text that is not program output. */
export const SURE_SCORE = 0.5
const FEW = 6
const LOOKED_AT = 400
/** Matches a line number that a tool wrote. */
const NUMBERED = /^\s*\d+(?:→|\t|: ?|\| ?|- )/

/** Matches lines that are typical of source code. */
const CODE =
  /[;{}]\s*$|^\s*[)\]}]+[;,)]*\s*$|^\s{2,}.*[,([:]\s*$|^\s*(?:def|func|function|class|import|from|return|if|for|while|const|let|var|public|private|protected|static|package|use|using|fn|impl|struct|enum|interface|type|end|else|elif|elsif|switch|case|try|catch|except|with|module|defmodule|alias|export|async|await|raise|throw)\b[^.!?]*$|^\s*(?:\/\/|\/\*|\*\s|\*\/|#\s|#include|@\w+|"""|<\/?\w+)|\b(?:do|then|fn)\s*$|->\s*$|^\s*(?:end|fi|done|esac|\|>|%\{|:\w+)\b|^\s*(?:test (?=["'])|(?:describe|it|assert|setup|defp|context|expect|val|let) ).*|^\s+\w+(?:\.\w+)*\s*(?:=|:=|\()|^\s+"?\w+"?:\s/

/** Matches lines that are typical of Markdown and prose. */
const PROSE = /^\s*(?:#{1,6} \S|[-*] \S|\d+\. \S|\||>)|^(?:\w+[,;]? ){7,}.*[.:?!]\s*$|^.{200,}[.:?!]\s*$/

/** Return the nature of a text. At most a few hundred lines are examined. */
export function textNature(scan: TextScan): TextNature {
  const first = scan.kept[0]
  if (first === undefined || (scan.lines > 1 && isLevelObject(first.text))) return 'output'
  if (isJson(scan)) return 'data'
  if (scan.kept.some(({ text }) => saysEnd(text.slice(0, 400)))) return 'output'
  // If only a few lines report failures, the text is program output.
  const { scores } = scan.scores()
  const sure = scan.kept.filter(
    ({ number, text }) => (scores.get(number) ?? 0) >= SURE_SCORE && !isWritten(text),
  ).length
  if (sure > 0 && sure <= Math.max(FEW, scan.lines / 50)) return 'output'
  if (/^\s*(?:<\?xml|<!doctype|<html|<svg)\b/i.test(first.text)) return 'writing'
  const step = Math.max(1, Math.floor(scan.kept.length / LOOKED_AT))
  let looked = 0
  let written = 0
  for (let index = 0; index < scan.kept.length; index += step) {
    const { text } = scan.kept[index]!
    if (bareStart(text).trim().length < 2) continue
    looked++
    if (isWritten(text)) written++
  }
  return written > looked * 0.55 ? 'writing' : 'output'
}

function isWritten(line: string): boolean {
  const text = bareStart(line)
  return CODE.test(text) || PROSE.test(text)
}

const bareStart = (line: string): string => line.slice(0, 400).replace(NUMBERED, '')

function isJson(scan: TextScan): boolean {
  const first = scan.kept[0]!
  const last = scan.kept.at(-1)!
  const start = first.text.trimStart()
  const end = (last.end === '' ? last.text : last.end).trimEnd()
  if (/^(?:\{\s*(?:$|")|\[\s*(?:$|[{["\d]))/.test(start) && /[}\]]$/.test(end)) return true
  // The text has one JSON value on each line.
  return scan.kept.slice(0, 5).every(({ text }) => /^\{\s*"[^"]{1,80}"\s*:/.test(text))
}
