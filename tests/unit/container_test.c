#include <check.h>
#include <string.h>

#include "config/container.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define POD "pod3d274242-8ee0-11e9-a8a6-1e68d864ef1a"

static const struct {
    const char *text;
    int found;
} cgroups[] = {
    {"12:pids:/docker/" ID "\n", 1},
    {"13:name=systemd:/user.slice\n1:cpu:/kubepods/besteffort/" POD "/" ID, 1},
    {"0::/system.slice/docker-" ID ".scope\n", 1},
    {"0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID ".scope\n", 1},
    {"0::/kubepods.slice/kubepods-pod1.slice:cri-containerd:" ID "\n", 1},
    {"0::/docker/" OTHER "/kubelet/kubepods/" POD "/" ID "\n", 1},
    {"0::/docker/" ID "/init.scope\n", 1},
    {"0::/\n", 0},
    {"4:memory:/process_api/a979754bca528d69c5688a9227a23d91\n", 0},
    {"0::/docker/" ID "0\n", 0},
    {"", 0},
    {"\n\n", 0},
};

START_TEST(container_ids_are_found_in_cgroup)
{
    char id[CONTAINER_ID_BYTES] = "";
    ck_assert_int_eq(container_id_from_cgroup(cgroups[_i].text, id), cgroups[_i].found);
    ck_assert_str_eq(id, cgroups[_i].found ? ID : "");
}
END_TEST

static const struct {
    const char *text;
    int found, overlay;
} mountinfos[] = {
    {"473 456 254:1 /docker/containers/" ID "/hostname /etc/hostname rw,relatime - ext4 /dev/vda1 rw\n", 1,
     0},
    {"1 2 0:1 / / rw - overlay overlay rw\n983 961 0:56 /containers/overlay-containers/" ID
     "/userdata/hostname /etc/hostname rw - tmpfs tmpfs rw\n",
     1, 1},
    {"1 2 8:1 /var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes/" OTHER
     "/hostname /etc/hostname rw - ext4 /dev/sda1 rw",
     0, 0},
    {"1 2 8:1 /docker/containers/" ID "/resolv.conf /etc/resolv.conf rw - ext4 /dev/sda1 rw", 0, 0},
    {"22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n30 22 0:9 / /x rw - overlay overlay rw", 0, 0},
    {"22 1 0:30 / / rw,relatime shared:1 master:2 - overlay overlay rw,lowerdir=/x", 0, 1},
    {"22", 0, 0},
    {"\n", 0, 0},
};

START_TEST(container_ids_are_found_in_mountinfo)
{
    char id[CONTAINER_ID_BYTES] = "";
    ck_assert_int_eq(container_id_from_mountinfo(mountinfos[_i].text, id), mountinfos[_i].found);
    ck_assert_str_eq(id, mountinfos[_i].found ? ID : "");
    ck_assert_int_eq(container_root_is_overlay(mountinfos[_i].text), mountinfos[_i].overlay);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("container");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, container_ids_are_found_in_cgroup, 0, sizeof cgroups / sizeof *cgroups);
    tcase_add_loop_test(all, container_ids_are_found_in_mountinfo, 0, sizeof mountinfos / sizeof *mountinfos);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
