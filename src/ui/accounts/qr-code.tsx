import { useMemo } from 'react'
import { encode } from 'uqr'

/** Width of the empty edge that readers need, in modules. */
const EDGE = 4

/** A text as a QR code, drawn by elements: the policy of the page allows no other picture that is made in it. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = useMemo(() => encode(text, { border: EDGE, ecc: 'M' }), [text])
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  )
}
