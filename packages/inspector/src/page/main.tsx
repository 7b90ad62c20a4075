import { h, render, type FunctionComponent, type VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, useLoaded, type InspectorInfo } from './api.ts'
import { Entries, isTyping } from './entries.tsx'
import { hrefOf, usePlace } from './place.ts'

const KEYS = [
  ['j, k', 'the next or previous entry'],
  ['Enter', 'open it'],
  ['/', 'filter the list'],
  ['Escape', 'leave the field, or close the entry'],
  ['?', 'this help'],
] as const

function App(): VNode {
  const place = usePlace()
  const { answer: info, error } = useLoaded(() => ask<InspectorInfo>('info'))
  const help = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && isTyping(event)) (event.target as HTMLElement).blur()
      else if (event.key === 'Escape' && help.current?.open !== true) location.hash = ''
      else if (event.key === '?' && !isTyping(event)) help.current?.showModal()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  const { entry, view } = place
  return (
    <>
      <header class="bar top">
        <h1>Spillway</h1>
        <nav class="tabs" aria-label="Pages">
          {(['entries', 'meter'] as const).map((one) => (
            <a key={one} href={hrefOf({ view: one, tab: 'preview' })} aria-current={one === view ? 'page' : undefined}>
              {one}
            </a>
          ))}
        </nav>
        {info !== undefined && info.scope.length > 0 && <span class="badge">{info.scope.join(' / ')}</span>}
        <button aria-label="Keyboard help" onClick={() => help.current?.showModal()}>
          ?
        </button>
      </header>
      {error !== undefined && <p role="alert">{error}</p>}
      {info !== undefined && (
        <main class={entry === undefined ? '' : 'with-entry'}>
          {view === 'meter' ? <Later load={loadMeter} /> : <Entries info={info} place={place} />}
          {view === 'entries' && entry !== undefined && (
            <section class="entry" aria-label="Entry">
              <Later key={`${entry.scope}/${entry.reference}`} load={loadEntry} props={{ entry, place, info }} />
            </section>
          )}
        </main>
      )}
      <dialog ref={help} aria-label="Keyboard">
        <form method="dialog">
          <dl>
            {KEYS.map(([key, does]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
          <button>Close</button>
        </form>
      </dialog>
    </>
  )
}

const loadEntry: Load = async () => (await import('./entry.tsx')).Entry as FunctionComponent<object>
const loadMeter: Load = async () => (await import('./meter.tsx')).Meter

type Load = () => Promise<FunctionComponent<object>>

/** A component whose code is loaded on first use. */
function Later({ load, props = {} }: { readonly load: Load; readonly props?: object }): VNode {
  const [loaded, setLoaded] = useState<{ readonly Component: FunctionComponent<object> }>()
  useEffect(() => void load().then((Component) => setLoaded({ Component })), [load])
  return loaded === undefined ? <p>Loading…</p> : h(loaded.Component, props)
}

render(<App />, document.body)
