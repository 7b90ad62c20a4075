/** Number of steps from which the curvature is estimated. */
const MEMORY = 8
const MOST_STEPS = 80
/** The search ends if a step changes the value by a smaller share. */
const TOLERANCE = 1e-6

/**
 * Minimize a smooth convex function, starting at zero, by L-BFGS with backtracking.
 *
 * @param evaluate - Returns the value at a point, and writes the gradient.
 */
export function minimize(
  size: number,
  evaluate: (point: Float64Array, gradient: Float64Array) => number,
): Float64Array {
  let point: Float64Array = new Float64Array(size)
  let gradient: Float64Array = new Float64Array(size)
  let value = evaluate(point, gradient)
  const steps: { readonly step: Float64Array; readonly change: Float64Array; readonly product: number }[] = []
  for (let round = 0; round < MOST_STEPS; round++) {
    const direction = descent(gradient, steps)
    const slope = dot(direction, gradient)
    let length = round === 0 ? 1 / Math.max(1, Math.sqrt(dot(gradient, gradient))) : 1
    let next = point
    let nextGradient = gradient
    let nextValue = value
    for (let attempt = 0; attempt < 20; attempt++, length /= 2) {
      const scale = length
      next = point.map((coordinate, index) => coordinate + scale * direction[index]!)
      nextGradient = new Float64Array(size)
      nextValue = evaluate(next, nextGradient)
      if (nextValue <= value + 1e-4 * length * slope) break
    }
    const step = next.map((coordinate, index) => coordinate - point[index]!)
    const change = nextGradient.map((coordinate, index) => coordinate - gradient[index]!)
    const product = dot(step, change)
    if (product > 1e-12) steps.push({ step, change, product })
    if (steps.length > MEMORY) steps.shift()
    const isDone = Math.abs(value - nextValue) <= TOLERANCE * Math.max(1, Math.abs(value))
    ;[point, gradient, value] = [next, nextGradient, nextValue]
    if (isDone) break
  }
  return point
}

/** Compute the search direction from the gradient and the last steps. */
function descent(
  gradient: Float64Array,
  steps: ReadonlyArray<{ readonly step: Float64Array; readonly change: Float64Array; readonly product: number }>,
): Float64Array {
  const direction = gradient.map((coordinate) => -coordinate)
  const shares: number[] = []
  for (const { step, change, product } of steps.toReversed()) {
    const share = dot(step, direction) / product
    shares.push(share)
    addTo(direction, change, -share)
  }
  const last = steps.at(-1)
  if (last !== undefined) {
    const scale = last.product / dot(last.change, last.change)
    for (let index = 0; index < direction.length; index++) direction[index]! *= scale
  }
  for (const { step, change, product } of steps)
    addTo(direction, step, shares.pop()! - dot(change, direction) / product)
  return direction
}

function dot(one: Float64Array, other: Float64Array): number {
  let sum = 0
  for (let index = 0; index < one.length; index++) sum += one[index]! * other[index]!
  return sum
}

function addTo(target: Float64Array, added: Float64Array, scale: number): void {
  for (let index = 0; index < target.length; index++) target[index]! += scale * added[index]!
}
