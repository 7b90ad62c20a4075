import { countOf } from '../layout/gap-marks.ts'
import { checkedShares } from '../layout/checked-shares.ts'
import { numberCut, numberNote } from '../layout/cut-numbers.ts'
import { writeItems } from '../layout/items-preview.ts'
import { RawLines } from '../layout/raw-lines.ts'
import type { TextPreviewer, TextSubject } from '../previewer.ts'
import type { ConfigReader } from './config-outline.ts'
import { configKind } from './recognize-config.ts'
import { SectionReader } from './section-reader.ts'
import { YamlReader } from './yaml-reader.ts'

/** How the budget of a preview of configuration is shared; what a part does not need goes to the others. */
export interface ConfigPreviewShares {
  /** Keys and headers of sections, with the values on their lines. */
  readonly keys: number
  /** Comments, texts and values of several lines. */
  readonly text: number
}

/** Options of {@link configPreviewer}. */
export interface ConfigPreviewerOptions {
  /** Each from 0 to 1, at most 1 together. Defaults to keys 0.85, text 0.15. */
  readonly shares?: Partial<ConfigPreviewShares> | undefined
}

const SHARES: ConfigPreviewShares = { keys: 0.85, text: 0.15 }

/**
 * Preview configuration as an outline of its keys, the outer ones first, with line numbers and the lengths of lists.
 *
 * Reads YAML by its indentation (each document with the kind and name of a Kubernetes object), TOML, INI and other files of
 * sections in brackets or of keys alone, and HCL and the like by their braces. No value is resolved: anchors, aliases and
 * references stand as they are.
 *
 * @example
 * ```ts
 * import { configPreviewer, previewText } from '@spillway/previews'
 *
 * const service = (index: number) => `  service-${index}:\n    image: app:${index}\n    ports:\n      - ${8000 + index}\n`
 * const text = `version: 3\nservices:\n${Array.from({ length: 100 }, (_, index) => service(index)).join('')}`
 * const options = { contentType: 'application/yaml', budgetTokens: 400, previewers: [configPreviewer()] }
 * const preview = await previewText(text, options)
 * console.assert(preview.includes('| services:') && preview.includes('|   service-9:'))
 * ```
 */
export function configPreviewer(options: ConfigPreviewerOptions = {}): TextPreviewer {
  const { keys, text } = checkedShares('shares', SHARES, options.shares)
  return {
    name: 'config',
    previews: 'text',
    recognize: (subject) => configKind(subject).sureness,
    read: (subject) => readConfig(subject, [keys, text]),
  }
}

function readConfig(subject: TextSubject, shares: readonly number[]): ReturnType<TextPreviewer['read']> {
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
        writeItems({ items, lines: lines.count, header, shares, lineShare: 0.1, endShare: 0 }, options)
    },
  }
}
