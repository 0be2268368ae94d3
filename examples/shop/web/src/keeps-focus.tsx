import { useEffect, useLayoutEffect, useRef } from 'react';

/**
 * What is in it comes and goes. Where a button goes that had the focus, the focus goes to the whole, and not back to the
 * top of the page: whoever is there without a mouse goes on from where they were.
 */
export function KeepsFocus(props: React.ComponentProps<'section'>) {
  const whole = useRef<HTMLElement>(null);
  const focused = useRef<EventTarget | null>(null);
  useEffect(() => {
    const section = whole.current!;
    const note = ({ target }: FocusEvent) => {
      focused.current = target;
    };
    // One that is being removed is told of as blurred, before it is gone.
    const forget = ({ target }: FocusEvent) =>
      queueMicrotask(() => {
        if (focused.current === target && (target as Element).isConnected) focused.current = null;
      });
    section.addEventListener('focusin', note);
    section.addEventListener('focusout', forget);
    return () => {
      section.removeEventListener('focusin', note);
      section.removeEventListener('focusout', forget);
    };
  }, []);
  useLayoutEffect(() => {
    const had = focused.current as Element | null;
    if (had?.isConnected !== false || document.activeElement !== document.body) return;
    focused.current = null;
    whole.current?.focus({ preventScroll: true });
  });
  return <section {...props} ref={whole} tabIndex={-1} />;
}
