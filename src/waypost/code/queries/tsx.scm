; inherits: typescript, jsx
; TypeScript with JSX.
