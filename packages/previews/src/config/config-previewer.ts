import { writePreview } from '../layout/write-preview.ts'
import { countOf } from '../layout/gap-marks.ts'
import { numberCut, numberNote } from '../layout/cut-numbers.ts'
import { RawLines } from '../layout/raw-lines.ts'
import type { TextPreviewer, TextSubject } from '../previewer.ts'
import type { ConfigReader } from './config-outline.ts'
import { configKind } from './recognize-config.ts'
import { SectionReader } from './section-reader.ts'
import { YamlReader } from './yaml-reader.ts'

/** Shares of the budget: of keys, and of text and values of several lines. What one does not need goes to the others. */
const SHARES = [0.85, 0.15]

/**
 * Preview configuration as an outline of its keys, the outer ones first, with line numbers and the lengths of lists.
 *
 * Reads YAML by its indentation (each document with the kind and name of a Kubernetes object), TOML, INI and other files of
 * sections in brackets or of keys alone, and HCL and the like by their braces. No value is resolved: anchors, aliases and
 * references stand as they are.
 */
export function configPreviewer(): TextPreviewer {
  return {
    name: 'config',
    previews: 'text',
    recognize: (subject) => configKind(subject).sureness,
    read: readConfig,
  }
}

function readConfig(subject: TextSubject): ReturnType<TextPreviewer['read']> {
  const { dialect } = configKind(subject)
  const { words } = subject.intent
  const reader: ConfigReader = dialect === 'indented' ? new YamlReader(words) : new SectionReader(dialect, words)
  const numbers = numberCut(subject.start)
  const lines = new RawLines((line) => reader.push(line), numbers?.cut)
  return {
    push: (text) => lines.push(text),
    finish: () => {
      lines.finish()
      const { items, summary } = reader.finish()
      const header = [
        `${dialect === 'indented' ? 'YAML' : 'config'}: ${countOf(lines.count, 'line')}`,
        ...(summary === '' ? [] : [summary]),
        ...numberNote(numbers),
      ].join(', ')
      return (options) =>
        writePreview({ items, lines: lines.count, header, shares: SHARES, lineShare: 0.1, endShare: 0 }, options)
    },
  }
}
