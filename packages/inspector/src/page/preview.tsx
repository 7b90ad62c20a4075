import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { PreviewReport } from '../describe-preview.ts'
import { messageOf, post } from './api.ts'
import { Lines, type ContentProps } from './content.tsx'
import { formatBytes, formatCount } from './format.tsx'

const SETTLE_MS = 250
/** Size limit of content that is previewed without a click: a preview of larger content takes seconds. */
const MAX_BYTES = 64_000_000

interface Settings {
  readonly maxResultTokens: number
  /** Limit of the preview in tokens. If absent, the kind of content decides. */
  readonly previewTokens?: number
  readonly purpose: string
}

const USUAL = { maxResultTokens: 2_500, previewTokens: 1_000 }

/** The replacement for the chosen settings, and the content with marks at hidden lines. */
export function Preview({ entry, info, line }: ContentProps): VNode {
  const [settings, setSettings] = useState<Settings>({ maxResultTokens: USUAL.maxResultTokens, purpose: '' })
  const [report, setReport] = useState<PreviewReport>()
  const [error, setError] = useState('')
  const [isWanted, setWanted] = useState(info.size <= MAX_BYTES)
  useEffect(() => {
    if (!isWanted) return
    const ended = new AbortController()
    const load = async (): Promise<void> => {
      try {
        const { reference, scope } = entry
        const given = settings.previewTokens
        const previewTokens = given && Math.min(given, settings.maxResultTokens - 1)
        const body = { ...settings, previewTokens, reference }
        setReport(await post<PreviewReport>('preview', { scope }, body, ended.signal))
        setError('')
      } catch (failure) {
        if (!ended.signal.aborted) setError(messageOf(failure))
      }
    }
    const timer = setTimeout(() => void load(), report === undefined ? 0 : SETTLE_MS)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [settings, isWanted])
  const slider = (name: 'maxResultTokens' | 'previewTokens', title: string, max: number): VNode => (
    <label>
      {title}{' '}
      <input
        type="range"
        min="100"
        max={max}
        step="100"
        value={settings[name] ?? USUAL[name]}
        onInput={({ currentTarget }) => setSettings({ ...settings, [name]: Number(currentTarget.value) })}
      />{' '}
      <output>{settings[name] === undefined ? 'as usual' : formatCount(settings[name])}</output>
    </label>
  )
  if (!isWanted)
    return (
      <p>
        <button onClick={() => setWanted(true)}>Read all {formatBytes(info.size)} for a preview</button>
      </p>
    )
  return (
    <>
      <div class="bar">
        {slider('maxResultTokens', 'Limit', 20_000)}
        {slider('previewTokens', 'Preview', 5_000)}
        <label class="wide">
          Purpose{' '}
          <input
            value={settings.purpose}
            placeholder="words before the call"
            onInput={({ currentTarget }) => setSettings({ ...settings, purpose: currentTarget.value })}
          />
        </label>
      </div>
      {error !== '' && <p role="alert">{error}</p>}
      {report !== undefined && (
        <>
          <p role="status">
            {report.isOffloaded
              ? `The model sees ${formatCount(report.tokens.shown)} of ~${formatCount(report.tokens.original)} tokens. ` +
                'In the content, ▸ marks the lines that it sees, and · those that it does not.'
              : `With this limit the result stays in the context: ~${formatCount(report.tokens.original)} tokens.`}
          </p>
          <div class="beside">
            {report.isOffloaded && (
              <pre class="answer" tabIndex={0} aria-label="Replacement">
                {report.text}
              </pre>
            )}
            <Lines
              entry={entry}
              info={info}
              line={line}
              shown={report.isOffloaded ? shownLines(report.text) : undefined}
            />
          </div>
        </>
      )}
    </>
  )
}

const GAP = /^\[… ([\d,]+) lines?\b/
const NUMBERED = /^(?:> )?(\d+)(?:-(\d+))?[|:] /
const OUTLINED = /^ *(\d+)(?:-(\d+))?[|: ]/
/** A line that is not content, such as the header of a preview. */
const NOTE = /^\[.*\]$/

/** Return the line numbers of the content that a preview shows: numbered lines, and the lines that follow them. */
export function shownLines(replacement: string): ReadonlySet<number> {
  const shown = new Set<number>()
  let next: number | undefined
  let isPreview = false
  let isOutline = false
  for (const text of replacement.split('\n')) {
    if (text.startsWith('<<< preview of ')) {
      isPreview = true
      next = 1
    } else if (text.startsWith('>>> end of ')) isPreview = false
    else if (isPreview) {
      const [, hidden] = GAP.exec(text) ?? []
      const [, start, end] = (isOutline ? OUTLINED : NUMBERED).exec(text) ?? []
      if (hidden !== undefined) next = next === undefined ? undefined : next + Number(hidden.replaceAll(',', ''))
      else if (start !== undefined) {
        for (let line = Number(start); line <= Number(end ?? start); line++) shown.add(line)
        next = Number(end ?? start) + 1
      } else if (NOTE.test(text)) {
        isOutline ||= / definitions?\]$/.test(text)
        // The preview of a table begins with its columns, and an outline lists names. Columns and names are not lines.
        if (isOutline || / rows × /.test(text)) next = undefined
      } else if (next !== undefined) shown.add(next++)
    }
  }
  return shown
}
