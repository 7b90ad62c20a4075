import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface VirtualListProps {
  readonly count: number
  readonly rowHeight: number
  readonly label: string
  readonly role?: 'rowgroup' | 'region'
  /** Whether rows may be higher than `rowHeight`. */
  readonly isWrapped?: boolean
  /** A row to scroll into view whenever this object changes. */
  readonly target?: { readonly row: number } | undefined
  readonly row: (index: number) => ComponentChildren
  /** Changes when the content of rows has changed. */
  readonly version?: unknown
  /** Called with the first and last row in view. */
  readonly onRows?: (first: number, last: number) => void
}

/** Limit of the height of the list, because browsers limit the height of elements to 2^24 pixels or more. */
const MAX_PIXELS = 8_000_000

/** A list of any length that renders only the rows in view. In a long list, scroll positions are mapped to rows. */
export function VirtualList(props: VirtualListProps): VNode {
  const { count, rowHeight, label, role = 'region', isWrapped = false, target, version, row, onRows } = props
  const box = useRef<HTMLDivElement>(null)
  const ownScroll = useRef(-1)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(0)
  const whole = Math.max(count * rowHeight, height)
  const pixels = Math.min(whole, MAX_PIXELS)
  const isMapped = pixels < whole || isWrapped
  const inView = Math.max(1, height / rowHeight)
  // The height of wrapped rows is unknown, so the last row may be scrolled to the top.
  const lastTop = Math.max(0, isWrapped ? count - 1 : count - inView)
  const first = Math.min(Math.floor(Math.min(top, lastTop)), Math.max(0, count - 1))
  const last = Math.min(count - 1, Math.ceil(first + inView))

  const move = (to: number): void => {
    const next = Math.max(0, Math.min(lastTop, to))
    setTop(next)
    const element = box.current
    if (element === null) return
    element.scrollTop = isMapped ? (next / (lastTop || 1)) * (pixels - height) : next * rowHeight
    ownScroll.current = element.scrollTop
  }

  useLayoutEffect(() => {
    const element = box.current!
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    setHeight(element.clientHeight)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (target === undefined || height === 0) return
    if (target.row < top || target.row > top + inView - 1) move(target.row - Math.floor(inView / 3))
  }, [target, height === 0, count])
  useEffect(() => onRows?.(first, last), [first, last, count, version])

  const onScroll = ({ currentTarget }: { readonly currentTarget: HTMLDivElement }): void => {
    const { scrollTop } = currentTarget
    if (Math.abs(scrollTop - ownScroll.current) < 1) return
    ownScroll.current = -1
    setTop(isMapped ? (scrollTop / Math.max(1, pixels - height)) * lastTop : scrollTop / rowHeight)
  }
  const onWheel = (event: WheelEvent): void => {
    if (!isMapped || event.deltaY === 0 || event.ctrlKey) return
    event.preventDefault()
    move(top + event.deltaY / rowHeight)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: inView - 1, PageUp: 1 - inView }
    const to = { Home: 0, End: lastTop }[event.key] ?? top + (steps[event.key] ?? NaN)
    if (Number.isNaN(to) || event.target !== event.currentTarget) return
    event.preventDefault()
    move(to)
  }

  const rows = []
  for (let index = first; index <= last; index++) rows.push(row(index))
  return (
    <div
      ref={box}
      class={`virtual ${isWrapped ? 'wrapped' : ''}`}
      role={role}
      aria-label={label}
      tabIndex={0}
      onScroll={onScroll}
      onWheel={onWheel}
      onKeyDown={onKeyDown}
    >
      <div class="spacer" style={{ height: `${pixels}px` }}>
        <div class="window" style={{ height: `${height}px` }}>
          <div style={{ transform: `translateY(${(first - Math.min(top, lastTop)) * rowHeight}px)` }}>{rows}</div>
        </div>
      </div>
    </div>
  )
}
