import type { TextScan } from './text-scan.ts'

/** How a command that failed ended, as shells and CI systems say it. */
const ENDED = /\b(?:exited (?:with )?|exit (?:code|status) )\D{0,16}[1-9]\d{0,2}\b/

/** Whether a line says that a command failed: only the output of programs has such lines. */
export const saysEnd = (line: string): boolean => ENDED.test(line)

/** A level, as loggers name the field of it; its value is a word, or a number as of pino and bunyan. */
const LEVEL =
  /"(?:level|severity|severityText|levelname|log\.level|lvl|loglevel|log_level|@l)" ?: ?(?:"[A-Za-z]{3,11}"|[1-6]0\b)/

/** What docker keeps a line of a container's output in. */
const WRAPPED = /^\{"log":".*","stream":"std(?:out|err)"/

/** Whether a line is a JSON object of a log: one with a level, or a line of output in a wrapper. */
export function isLevelObject(line: string): boolean {
  return /^\s*\{\s*"/.test(line) && /\}\s*$/.test(line) && (LEVEL.test(line.slice(0, 2_000)) || WRAPPED.test(line))
}

/**
 * What a text is, as far as it decides which of its lines are shown: the output of a program, whose lines differ in
 * weight; data, of which both ends show the shape; or writing (source code, prose), in which words such as "error" mean
 * nothing special.
 */
type TextNature = 'output' | 'data' | 'writing'

/** Lines of this score hardly stand in anything but the output of programs, unless there are many. */
const SURE = 0.5
const FEW = 6

/** Lines looked at. */
const LOOKED_AT = 400

/** A line number that a tool has put before a line. */
const NUMBERED = /^\s*\d+(?:→|\t|: ?|\| ?|- )/

/** Lines as they stand in source code. */
const CODE =
  /[;{}]\s*$|^\s*[)\]}]+[;,)]*\s*$|^\s{2,}.*[,([:]\s*$|^\s*(?:def|func|function|class|import|from|return|if|for|while|const|let|var|public|private|protected|static|package|use|using|fn|impl|struct|enum|interface|type|end|else|elif|elsif|switch|case|try|catch|except|with|module|defmodule|alias|export|async|await|raise|throw)\b[^.!?]*$|^\s*(?:\/\/|\/\*|\*\s|\*\/|#\s|#include|@\w+|"""|<\/?\w+)|\b(?:do|then|fn)\s*$|->\s*$|^\s*(?:end|fi|done|esac|\|>|%\{|:\w+)\b|^\s*(?:test (?=["'])|(?:describe|it|assert|setup|defp|context|expect|val|let) ).*|^\s+\w+(?:\.\w+)*\s*(?:=|:=|\()|^\s+"?\w+"?:\s/

/** Lines as they stand in Markdown and plain prose. */
const PROSE = /^\s*(?:#{1,6} \S|[-*] \S|\d+\. \S|\||>)|^(?:\w+[,;]? ){7,}.*[.:?!]\s*$|^.{200,}[.:?!]\s*$/

/** Tell what a scanned text is from a few hundred of its lines. */
export function textNature(scan: TextScan): TextNature {
  const first = scan.kept[0]
  if (first === undefined || (scan.lines > 1 && isLevelObject(first.text))) return 'output'
  if (isJson(scan)) return 'data'
  if (scan.kept.some(({ text }) => saysEnd(text.slice(0, 400)))) return 'output'
  // Only programs say that some of a few things failed.
  const { scores } = scan.scores()
  const sure = scan.kept.filter(({ number, text }) => (scores.get(number) ?? 0) >= SURE && !isWritten(text)).length
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
  // One JSON value on each line.
  return scan.kept.slice(0, 5).every(({ text }) => /^\{\s*"[^"]{1,80}"\s*:/.test(text))
}
