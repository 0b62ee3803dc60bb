#!/bin/bash
# Build the test guest: a Debian kernel, a gpio-sim module for it, a tiny
# initramfs and a root disk.  Needs root and a Debian host, or an Ubuntu one with
# MIRROR set, that reaches that mirror and PyPI.
#
#   build.sh [amd64|arm64]      result: OUT/{vmlinuz,initrd.gz,root.ext4}
#
# Environment: SUITE (trixie), MIRROR, EXTRA_PACKAGES, OUT
# (~/.cache/virtual-pi/ARCH).  Stages already done are kept; delete OUT to start anew.
set -euo pipefail

ARCH=${1:-amd64}
HERE=$(cd "$(dirname "$0")" && pwd)
# Under sudo the guest belongs into the home of the user who asked.
[ -z "${SUDO_USER:-}" ] || HOME=$(getent passwd "$SUDO_USER" | cut -d: -f6)
OUT=${OUT:-${XDG_CACHE_HOME:-$HOME/.cache}/virtual-pi/$ARCH}
SUITE=${SUITE:-trixie}
# The host's own Debian mirror, unless another is named.
MIRROR=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 'debian/*$' || true)}
[ -n "$MIRROR" ] || { echo "no Debian mirror is known here; name one: MIRROR=... $0" >&2; exit 2; }
BUILDER=$OUT/builder
ROOT=$OUT/root

BUILDER_PACKAGES=gcc,libc6-dev,make,python3-dev,python3-pip,python3-setuptools,python3-wheel,swig,ca-certificates,xz-utils
ROOT_PACKAGES=systemd,systemd-sysv,udev,dbus,kmod,busybox-static,python3,python3-venv,procps,iproute2
ROOT_PACKAGES+=,libgbm1,libdrm2,libegl1,libgles2,libgl1-mesa-dri,libwayland-client0,libwayland-cursor0
ROOT_PACKAGES+=,libwayland-egl1,libxkbcommon0,xkb-data,seatd,cage,weston,gpiod,evtest,kbd,alsa-utils
[ -n "${EXTRA_PACKAGES:-}" ] && ROOT_PACKAGES+=,$EXTRA_PACKAGES

# What the initramfs must load before the root disk is there.
INITRD_MODULES="virtio_pci virtio_blk ext4 9p 9pnet_virtio virtio_console"
# Parts of the kernel's module tree that no guest here needs.
DROP_MODULES="drivers/net drivers/media drivers/infiniband drivers/scsi drivers/iio drivers/staging
    drivers/gpu/drm/amd drivers/gpu/drm/i915 drivers/gpu/drm/xe drivers/gpu/drm/nouveau drivers/gpu/drm/radeon
    drivers/hwmon drivers/md drivers/ata drivers/platform drivers/edac drivers/target drivers/vfio drivers/accel
    arch/x86/kvm arch/x86/events drivers/cpufreq drivers/powercap drivers/i2c/busses drivers/mfd drivers/char/agp
    drivers/char/ipmi drivers/input/misc/pcspkr.ko.xz net/bluetooth net/mac80211 net/wireless net/netfilter fs/xfs fs/btrfs fs/ceph fs/smb fs/nfs fs/nfsd fs/ocfs2"

say() { echo "== $(date +%T) $*"; }

host_packages() {
    local want="mmdebstrap e2fsprogs cpio xz-utils kmod"
    case $ARCH in
        amd64) want+=" qemu-system-x86" ;;
        arm64) want+=" qemu-system-arm qemu-user-static binfmt-support arch-test" ;;
        *) echo "unknown architecture $ARCH" >&2; exit 2 ;;
    esac
    # shellcheck disable=SC2086
    if ! dpkg -s $want >/dev/null 2>&1; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $want
    fi
    if [ "$ARCH" = arm64 ] && [ ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then
        mountpoint -q /proc/sys/fs/binfmt_misc || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
        update-binfmts --enable qemu-aarch64
    fi
}

bootstrap() { # DIR PACKAGES
    mmdebstrap --quiet --variant=minbase --architectures="$ARCH" \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' --include="$2" "$SUITE" "$1" "$MIRROR"
    cp /etc/resolv.conf "$1/etc/resolv.conf"
}

builder() { # a throw-away system with the compilers, the kernel and the wheels
    [ -e "$OUT/builder.done" ] && return
    say "builder system"
    rm -rf "$BUILDER"
    bootstrap "$BUILDER" "$BUILDER_PACKAGES"
    # a host behind a TLS-inspecting proxy has its certificate here
    cp /etc/ssl/certs/ca-certificates.crt "$BUILDER/etc/ssl/certs/ca-certificates.crt"

    say "kernel, headers and source"
    cp "$HERE/gpio-sim/Kbuild" "$BUILDER/root/"
    chroot "$BUILDER" bash -euo pipefail -s "$ARCH" <<'EOF'
arch=$1
cd /root
apt-get update -qq
image=$(apt-cache depends "linux-image-$arch" | awk '/Depends: linux-image/ {print $2; exit}')
version=${image#linux-image-}
apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-unsafe-io "linux-headers-$version" >/dev/null
# linux-image-amd64 and arm64 are built by the -signed source; both names occur
apt-get download -qq "$image" "linux-source-${version%%.[0-9]*+*}" 2>/dev/null ||
    apt-get download -qq "$image" "linux-source-$(echo "$version" | cut -d. -f1,2)"
mkdir -p image gpio-sim
dpkg-deb -x linux-image-*.deb image
dpkg-deb --fsys-tarfile linux-source-*.deb | tar -xO --wildcards './usr/src/*.tar.xz' |
    tar -xJ --wildcards --strip-components=1 -C gpio-sim '*/drivers/gpio/gpio-sim.c' '*/drivers/gpio/dev-sync-probe.*' \
        '*/kernel/irq/irq_sim.c' 2>/dev/null || true
rm -f linux-*.deb
cd gpio-sim
mv kernel/irq/irq_sim.c .
mv drivers/gpio/gpio-sim.c gpio-sim-main.c
# irq_to_desc() is not exported to modules; this is the exported equivalent
sed -i 's/handle_simple_irq(irq_to_desc(irqnum))/generic_handle_irq_safe(irqnum)/' irq_sim.c
mv ../Kbuild .
make -s -C "/usr/src/linux-headers-$version" M="$PWD" modules
strip --strip-debug gpio-sim.ko
echo "$version" >/root/version
apt-get clean
EOF

    say "Python wheels"
    cp "$HERE/requirements.txt" "$BUILDER/root/"
    # PYPI=1 makes lgpio's sdist compile the C library in; there is no wheel
    # for Python 3.13, and Debian has no liblgpio.
    chroot "$BUILDER" env -u PIP_FIND_LINKS PYPI=1 PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
        pip wheel -q --no-cache-dir -w /root/wheels -r /root/requirements.txt
    touch "$OUT/builder.done"
}

root() {
    [ -e "$OUT/root.done" ] && return
    local version modules m
    version=$(cat "$BUILDER/root/version")
    say "root system"
    rm -rf "$ROOT"
    bootstrap "$ROOT" "$ROOT_PACKAGES"

    say "kernel modules, Python packages"
    modules=$ROOT/usr/lib/modules/$version
    mkdir -p "$ROOT/usr/lib/modules"
    cp -a "$BUILDER/root/image/usr/lib/modules/$version" "$modules" 2>/dev/null ||
        cp -a "$BUILDER/root/image/lib/modules/$version" "$modules"
    for m in $DROP_MODULES; do rm -rf "$modules/kernel/$m"; done
    mkdir -p "$modules/updates"
    cp "$BUILDER/root/gpio-sim/gpio-sim.ko" "$modules/updates/"
    depmod -b "$ROOT" "$version"

    mkdir -p "$ROOT/opt/rig"
    cp -a "$BUILDER/root/wheels" "$ROOT/opt/rig/wheels"
    cp "$HERE/requirements.txt" "$ROOT/opt/rig/"
    chroot "$ROOT" python3 -m venv --system-site-packages /opt/rig/venv
    chroot "$ROOT" /opt/rig/venv/bin/pip install -q --no-index --find-links /opt/rig/wheels -r /opt/rig/requirements.txt
    rm -rf "$ROOT/opt/rig/wheels" "$ROOT"/var/cache/apt/* "$ROOT"/var/lib/apt/lists/*

    echo arcade >"$ROOT/etc/hostname"
    tr -d - </proc/sys/kernel/random/uuid >"$ROOT/etc/machine-id"
    : >"$ROOT/etc/fstab"
    chroot "$ROOT" sh -ec '
        groupadd --system gpio
        useradd --create-home --shell /bin/bash pi
        for g in gpio input video render audio dialout tty; do usermod -aG $g pi; done
        systemctl --quiet set-default multi-user.target
        systemctl --quiet mask serial-getty@.service apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer
    '
    # tells systemd that nothing in /usr changed since: no ldconfig at boot
    touch -d 'now + 1 minute' "$ROOT/etc/.updated" "$ROOT/var/.updated"
    touch "$OUT/root.done"
}

images() {
    local version initrd m ko
    version=$(cat "$BUILDER/root/version")
    say "initramfs"
    cp "$BUILDER/root/image/boot/vmlinuz-$version" "$OUT/vmlinuz"
    initrd=$(mktemp -d)
    mkdir -p "$initrd"/{bin,dev,proc,sys,root,modules}
    cp "$ROOT/usr/bin/busybox" "$initrd/bin/"
    for m in sh mount umount insmod switch_root sleep cat echo; do ln -s busybox "$initrd/bin/$m"; done
    install -m 755 "$HERE/guest/init.sh" "$initrd/init"
    for m in $INITRD_MODULES; do
        modprobe -d "$ROOT" -S "$version" --show-depends "$m" | awk '$1 == "insmod" {print $2}'
    done | awk '!seen[$0]++' | while read -r ko; do
        if [[ $ko == *.xz ]]; then xz -dc "$ko" >"$initrd/modules/$(basename "${ko%.xz}")"; ko=${ko%.xz}
        else cp "$ko" "$initrd/modules/"; fi
        basename "$ko" >>"$initrd/modules.order"
    done
    (cd "$initrd" && find . | cpio --quiet -o -H newc | gzip -1) >"$OUT/initrd.gz"
    rm -rf "$initrd"

    say "guest files, root disk"
    install -m 755 "$HERE"/guest/{rig-init,rig-agent,gpio-header} "$ROOT/usr/local/sbin/"
    install -m 755 "$HERE/guest/rig" "$ROOT/usr/local/bin/"
    install -m 644 "$HERE/guest/rig-agent.service" "$ROOT/etc/systemd/system/"
    install -m 644 "$HERE/guest/99-gpio.rules" "$ROOT/etc/udev/rules.d/"
    ln -sf ../rig-agent.service "$ROOT/etc/systemd/system/multi-user.target.wants/rig-agent.service"
    local mib
    mib=$(($(du -sxm "$ROOT" | cut -f1) * 12 / 10 + 300))
    rm -f "$OUT/root.ext4"
    mke2fs -q -t ext4 -O '^has_journal,^metadata_csum' -E lazy_itable_init=1 -d "$ROOT" "$OUT/root.ext4" "${mib}M"
    du -h "$OUT"/{vmlinuz,initrd.gz,root.ext4}
}

host_packages
mkdir -p "$OUT"
builder
root
images
say "done"
