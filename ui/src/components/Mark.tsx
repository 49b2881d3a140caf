/** An anvil and a spark. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden>
      <rect width="32" height="32" rx="8" fill="#0f6f7f" />
      <path
        d="M6 11h5v3.2C7.800 14.200 6 12.900 6 11Zm6.500 0H26v2.200c-3.600.4-6 2.500-6 5.300 0 1.300.9 2.300 2.500 2.800V23H10.500v-1.700c1.700-.5 2.700-1.600 2.700-3.100 0-.8-.2-1.400-.7-2V11Z"
        fill="#fff"
      />
      <circle cx="22.500" cy="6.500" r="2" fill="#ffb066" />
    </svg>
  );
}
