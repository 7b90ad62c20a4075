import type { VNode } from 'preact'
import { useState } from 'preact/hooks'

const MAX_CHILDREN = 200

/** A JSON value as a tree. Each node has its JSONPath and a button that copies it. */
export function JsonTree({ value }: { readonly value: unknown }): VNode {
  return (
    <div class="scroll tree">
      <Node name="$" path="$" value={value} isOpen />
    </div>
  )
}

interface NodeProps {
  readonly name: string
  readonly path: string
  readonly value: unknown
  readonly isOpen?: boolean
}

function Node({ name, path, value, isOpen = false }: NodeProps): VNode {
  const [open, setOpen] = useState(isOpen)
  const [limit, setLimit] = useState(MAX_CHILDREN)
  const copy = (
    <button
      class="copy"
      title={path}
      aria-label={`Copy ${path}`}
      onClick={() => void navigator.clipboard.writeText(path)}
    >
      Copy
    </button>
  )
  if (typeof value !== 'object' || value === null)
    return (
      <div class="leaf">
        <span class="key">{name}</span>: <code class={`json-${typeof value}`}>{JSON.stringify(value)}</code> {copy}
      </div>
    )
  const isList = Array.isArray(value)
  const children = Object.entries(value)
  return (
    <div class="node">
      <button class="toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? '▾' : '▸'} <span class="key">{name}</span> {isList ? `[${children.length}]` : `{${children.length}}`}
      </button>{' '}
      {copy}
      {open &&
        children
          .slice(0, limit)
          .map(([key, child]) => (
            <Node key={key} name={key} path={path + (isList ? `[${key}]` : step(key))} value={child} />
          ))}
      {open && children.length > limit && (
        <button onClick={() => setLimit(limit + MAX_CHILDREN)}>{children.length - limit} more</button>
      )}
    </div>
  )
}

/** Write a step of a normalized path (RFC 9535), or its short form for a plain name. */
const step = (key: string): string =>
  /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `['${key.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`
